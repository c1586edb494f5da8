import { useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { defaults } from '../../../shared/defaults.ts';
import { type Watermark, watermarkArea, watermarkPositions } from '../../../shared/media/watermark.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { text } from '../../messages/messages.ts';
import type { Query } from '../query/query.ts';
import { partText } from '../query/query-parts.ts';

export type Image = components['schemas']['Image'];

/** Of a frame without a poster. */
const usualSize = { width: 1920, height: 1080 };

/** The image over the poster of the latest video, or over a plain frame. */
export function WatermarkPreview({ image, query }: { image: Image; query: Query }) {
  const { templates: messages } = text.value;
  const [size, setSize] = useState(usualSize);
  const { data } = useResource(
    (signal) => api.GET('/api/videos', { params: { query: { per_page: 1, status: 'completed' } }, signal }),
    { key: 'poster behind the watermark' },
  );
  const poster = data?.data[0]?.poster_url ?? null;
  const watermark = watermarkOf(query, image);
  const { left, top, width, height } = watermarkArea(watermark, { left: 0, top: 0, ...size });
  const share = (length: number, whole: number): string => `${(100 * length) / whole}%`;
  return (
    <figure class="watermark-preview">
      <div style={{ aspectRatio: `${size.width} / ${size.height}` }}>
        {poster !== null && (
          <img
            src={poster}
            alt=""
            onLoad={({ currentTarget }) =>
              setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
            }
          />
        )}
        <img
          src={image.url}
          alt={image.name}
          style={{
            left: share(left, size.width),
            top: share(top, size.height),
            width: share(width, size.width),
            height: share(height, size.height),
            opacity: watermark.opacity,
          }}
        />
      </div>
      <figcaption class="hint">{messages.watermarkPreview}</figcaption>
    </figure>
  );
}

/** With the default in place of what is not valid yet, because it is being typed. */
function watermarkOf(query: Query, image: Image): Watermark {
  const value = (key: string): string => partText(query, 'watermark', key);
  const number = (typed: string, byDefault: string): number => {
    const parsed = Number.parseFloat(typed);
    return Number.isFinite(parsed) && parsed >= 0 ? parsed : Number.parseFloat(byDefault);
  };
  const { position, width, margin } = defaults.watermark;
  return {
    imageUlid: image.ulid,
    image: { type: 'png', width: image.width, height: image.height, orientation: 1 },
    position: watermarkPositions.find((one) => one === value('position')) ?? position,
    widthShare: Math.min(1, number(value('width'), width) / 100),
    marginShare: Math.min(0.4, number(value('margin'), margin) / 100),
    opacity: Math.min(1, number(value('opacity'), '1')),
  };
}
