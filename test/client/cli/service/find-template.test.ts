import { expect, test } from 'vitest';
import { createApi } from '../../../../client/api.ts';
import { findTemplate, selectTemplates } from '../../../../client/cli/service/find-template.ts';
import { prepareCli, templateRecord } from '../../support/run-cli.ts';

const templates = [
  { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', id: 7, name: 'Web' },
  { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W7', id: 8, name: 'web' },
  { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W8', id: 9, name: '7' },
  { ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W9', id: 10, name: 'Archive' },
];

test.each([
  ['01k9z3p6m8n9p0q1r2s3t4v5w8', [9]],
  ['7', [7]],
  ['Web', [7]],
  ['archive', [10]],
  ['WEB', [7, 8]],
  ['other', []],
])('%s selects the templates %j', (wanted, ids) => {
  expect(selectTemplates(templates, wanted).map(({ id }) => id)).toEqual(ids);
});

test('what is not found is explained', async () => {
  const { service } = prepareCli();
  const api = createApi(service);
  expect(await findTemplate(api, 'web')).toEqual(templateRecord);
  await expect(findTemplate(api, undefined)).rejects.toThrow('pass --template with its name, ULID or id');
  await expect(findTemplate(api, 'hls-auto')).rejects.toThrow('open-video-service templates adopt hls-auto');
  await expect(findTemplate(api, 'none')).rejects.toThrow("There is no template 'none'.");
  service.handlers['GET /api/templates'] = () => ({ body: { data: templates } });
  await expect(findTemplate(api, 'WEB')).rejects.toThrow('2 templates have the name');
});
