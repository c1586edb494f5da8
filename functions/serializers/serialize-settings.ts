import type * as z from 'zod';
import type { StageSettings } from '../../shared/stage-settings.ts';
import { signedUrlSeconds, uploadLimits } from '../common/limits.ts';
import { rateLimits } from '../contracts/route-declaration.ts';
import type { settingsRoutes } from '../contracts/routes/settings-routes.ts';
import { templateLimits } from '../templates/template-limits.ts';

type Data = z.input<typeof settingsRoutes.get.response>['data'];

export const serializeSettings = (stage: string, { values, defaults }: StageSettings): Data => ({
  stage,
  settings: Object.entries(values).map(([name, value]) => ({
    name,
    value: copied(value),
    default: copied(name in defaults ? defaults[name]! : value),
  })),
  limits: {
    max_upload_bytes: uploadLimits.maxObjectBytes,
    max_form_upload_bytes: uploadLimits.maxPostBytes,
    max_upload_parts: uploadLimits.maxParts,
    max_open_uploads: uploadLimits.maxOpenUploads,
    max_link_seconds: signedUrlSeconds.max,
    requests_per_minute: rateLimits.default,
    max_template_outputs: templateLimits.maxOutputs,
    max_template_video_streams: templateLimits.maxVideoStreams,
    max_template_audio_streams: templateLimits.maxAudioStreams,
    max_template_width: templateLimits.maxWidth,
    max_template_height: templateLimits.maxHeight,
    max_template_fps: templateLimits.maxFramesPerSecond,
    max_template_query_bytes: templateLimits.maxQueryBytes,
  },
});

type Value = Data['settings'][number]['value'];

const copied = (value: StageSettings['values'][string]): Value =>
  typeof value === 'object' && value !== null ? [...value] : value;
