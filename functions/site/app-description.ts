import { readEnvironment } from '../../shared/environment.ts';
import type { SiteManifest } from '../../shared/site-manifest.ts';

export const appDescriptionPath = '/app.json';

/**
 * What the dashboard has to know before it starts. The settings of the stage are not part of its files, so that a build
 * is the same for all stages.
 */
export const appDescription = ({ build }: SiteManifest) => ({
  /** A tab that was loaded from another build reloads itself. */
  build,
  /** Whether everyone may create an account. */
  registration: readEnvironment('REGISTRATION'),
});
