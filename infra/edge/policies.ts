import { Duration } from 'aws-cdk-lib';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { foreverSeconds, preflightHeaders, replaceableSeconds } from '../../delivery/urls/delivered-headers.ts';
import {
  defaultContentPolicy,
  fileContentPolicy,
  referrerPolicy,
  transportSecurity,
} from '../../shared/security-headers.ts';

/**
 * The longest time for which CloudFront delivers a cached file without asking the bucket. After it, a deleted file
 * cannot be delivered any more, whatever the key value store says.
 */
export const edgeCacheDays = 1;

const list = (header: string): string[] => header.split(', ');

/**
 * The cache key is the path, which is the object's key when the cache is asked. Without a Cache-Control header of the
 * object, a copy is used as long as a file may be that is replaced under its name.
 */
export const fileCache = (scope: Construct, id: string, options: { isText: boolean }) =>
  new cloudfront.CachePolicy(scope, id, {
    comment: options.isText ? 'Playlists and captions by path, compressed' : 'Media by path',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(replaceableSeconds),
    maxTtl: Duration.days(edgeCacheDays),
    enableAcceptEncodingGzip: options.isText,
    enableAcceptEncodingBrotli: options.isText,
  });

/**
 * Files of the site have a hash in their names, and their headers say how long they stay. The function has each file
 * compressed, so that the key also has the encodings that the viewer accepts, as far as they matter.
 */
export const assetCache = (scope: Construct) =>
  new cloudfront.CachePolicy(scope, 'AssetCache', {
    comment: 'Files of the site by path and encoding',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(foreverSeconds),
    enableAcceptEncodingGzip: true,
    enableAcceptEncodingBrotli: true,
  });

/** The headers that proxies add to files. Players run on pages of any origin. */
export const fileHeaders = (scope: Construct, responseHeadersPolicyName: string) =>
  new cloudfront.ResponseHeadersPolicy(scope, 'FileHeaders', {
    responseHeadersPolicyName,
    comment: 'Files for players on pages of any origin',
    corsBehavior: {
      accessControlAllowOrigins: ['*'],
      accessControlAllowMethods: list(preflightHeaders['access-control-allow-methods']),
      accessControlAllowHeaders: list(preflightHeaders['access-control-allow-headers']),
      accessControlExposeHeaders: list(preflightHeaders['access-control-expose-headers']),
      accessControlMaxAge: Duration.seconds(Number(preflightHeaders['access-control-max-age'])),
      accessControlAllowCredentials: false,
      originOverride: true,
    },
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy: fileContentPolicy, override: true },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.seconds(foreverSeconds), override: true },
    },
    customHeadersBehavior: {
      customHeaders: [{ header: 'cross-origin-resource-policy', value: 'cross-origin', override: true }],
    },
    removeHeaders: ['x-amz-server-side-encryption', 'x-amz-version-id', 'x-amz-storage-class'],
  });

/** Defaults for responses of the API and for pages; their own headers take precedence. */
export const pageHeaders = (scope: Construct, responseHeadersPolicyName: string) =>
  new cloudfront.ResponseHeadersPolicy(scope, 'PageHeaders', {
    responseHeadersPolicyName,
    comment: 'Security headers that a response does not have itself',
    securityHeadersBehavior: {
      // It also says which pages may be framed. X-Frame-Options would contradict a page that others embed.
      contentSecurityPolicy: { contentSecurityPolicy: defaultContentPolicy, override: false },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: referrerPolicy as cloudfront.HeadersReferrerPolicy, override: false },
      strictTransportSecurity: {
        accessControlMaxAge: Duration.seconds(transportSecurity.maxAgeSeconds),
        includeSubdomains: transportSecurity.includeSubdomains,
        override: false,
      },
    },
  });
