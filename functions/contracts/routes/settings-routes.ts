import * as z from 'zod';
import type { RouteDeclaration } from '../route-declaration.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);
const limit = z.int().positive();

export const settingsRoutes = {
  get: {
    operationId: 'readSettings',
    method: 'GET',
    path: '/api/settings',
    tag: 'Service',
    summary: 'Settings of the stage',
    description:
      'What the operator set for this stage, and the defaults of what was left out. Read-only: settings are changed in cdk.json, or for npm start in its environment, and take effect with the next deployment or start. Without secrets and ARNs. limits are the same on every stage.',
    access: 'admin',
    ability: 'admin',
    status: 200,
    response: z.object({
      data: z.object({
        stage: z.string(),
        settings: z.array(
          z
            .object({
              name: z.string().meta({ example: 'workers.maxTasks' }),
              value,
              default: value.meta({ description: 'Of this stage.' }),
            })
            .meta({ id: 'Setting' }),
        ),
        limits: z
          .object({
            max_upload_bytes: limit,
            max_form_upload_bytes: limit,
            max_upload_parts: limit,
            max_open_uploads: limit.meta({ description: 'Of one user.' }),
            max_link_seconds: limit.meta({ description: 'Longest lifetime of a signed URL.' }),
            requests_per_minute: limit.meta({ description: 'Of one user, except for uploads.' }),
            max_template_outputs: limit,
            max_template_video_streams: limit,
            max_template_audio_streams: limit,
            max_template_width: limit,
            max_template_height: limit,
            max_template_fps: limit,
            max_template_query_bytes: limit,
          })
          .meta({ id: 'ServiceLimits' }),
      }),
    }),
  },
} as const satisfies Record<string, RouteDeclaration>;
