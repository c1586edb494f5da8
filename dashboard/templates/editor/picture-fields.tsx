import { useState } from 'preact/hooks';
import { watermarkPositions } from '../../../shared/media/watermark.ts';
import { api, client } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FileField, type Option, SelectField, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import type { Query } from '../query/query.ts';
import { errorsOfField, type PathError } from '../query/query-errors.ts';
import { type PartName, partText, setPart } from '../query/query-parts.ts';
import { type Image, WatermarkPreview } from './watermark-preview.tsx';

type PictureFieldsProps = {
  query: Query;
  errors: readonly PathError[];
  isReadOnly: boolean;
  onQuery(query: Query): void;
};

const cropSides = ['top', 'right', 'bottom', 'left'] as const;

/** What a template changes in the picture, and the image that it shows over it. */
export function PictureFields({ query, errors, isReadOnly, onQuery }: PictureFieldsProps) {
  const { templates: messages } = text.value;
  const part = (name: PartName, key: string) => ({
    value: partText(query, name, key),
    onValue: (value: string) => onQuery(setPart(query, name, key, value)),
    disabled: isReadOnly,
    errors: errorsOfField(errors, `${name}.${key}`),
  });
  const select = (name: PartName, key: string, label: string, choices: Record<string, string>) => {
    const given = part(name, key);
    const [[byDefault, first] = ['', ''], ...others] = Object.entries(choices);
    const known = given.value === '' || given.value in choices;
    const options: Option[] = [
      { value: '', label: messages.byDefault(first) },
      ...(given.value === byDefault ? [{ value: byDefault, label: first }] : []),
      ...others.map(([value, shown]) => ({ value, label: shown })),
      ...(known ? [] : [{ value: given.value, label: given.value }]),
    ];
    return <SelectField {...given} label={label} options={options} />;
  };
  const { pictureFields } = messages;
  return (
    <>
      <fieldset>
        <legend>{messages.pictureChanges}</legend>
        {select('picture', 'rotate', pictureFields.rotate, messages.rotations)}
        {select('picture', 'flip', pictureFields.flip, messages.flips)}
        {select('picture', 'deinterlace', pictureFields.deinterlace, messages.deinterlacing)}
        {cropSides.map((side) => (
          <TextField
            key={side}
            {...part('picture', `crop.${side}`)}
            label={messages.cropSides[side]}
            hint={messages.cropHint}
            isOptional
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{messages.watermark}</legend>
        <WatermarkImage query={query} isReadOnly={isReadOnly} {...part('watermark', 'image')} />
        {query.watermark !== undefined && (
          <>
            {select(
              'watermark',
              'position',
              pictureFields.position,
              Object.fromEntries(
                ['bottom-right' as const, ...watermarkPositions].map((one) => [one, messages.positions[one]]),
              ),
            )}
            <TextField {...part('watermark', 'width')} label={pictureFields.width} hint={messages.byDefault('10%')} />
            <TextField {...part('watermark', 'margin')} label={pictureFields.margin} hint={messages.byDefault('2%')} />
            <TextField {...part('watermark', 'opacity')} label={pictureFields.opacity} hint={messages.byDefault('1')} />
            <TextField
              {...part('watermark', 'from_seconds')}
              label={pictureFields.fromSeconds}
              inputMode="decimal"
              isOptional
            />
            <TextField
              {...part('watermark', 'to_seconds')}
              label={pictureFields.toSeconds}
              inputMode="decimal"
              isOptional
            />
          </>
        )}
      </fieldset>
    </>
  );
}

type WatermarkImageProps = {
  query: Query;
  isReadOnly: boolean;
  value: string;
  onValue(ulid: string): void;
  errors: readonly string[];
};

/** One of the images of the user, or a new one, with a preview of where it is. */
function WatermarkImage({ query, isReadOnly, value, onValue, errors }: WatermarkImageProps) {
  const { templates: messages } = text.value;
  const [added, setAdded] = useState<Image[]>([]);
  const { data, error } = useResource((signal) => api.GET('/api/images', { signal }), { key: 'images' });
  const images = [...added, ...(data?.data ?? []).filter(({ ulid }) => !added.some((one) => one.ulid === ulid))];
  const upload = useAction(async (file: File) => {
    const image = await client.uploadImage(file, { name: file.name });
    setAdded((before) => [image, ...before]);
    announce(messages.imageAdded(image.name));
    onValue(image.ulid);
  });
  const image = images.find(({ ulid }) => ulid === value);
  return (
    <div class="query-wide watermark">
      <SelectField
        label={messages.watermarkImage}
        value={value}
        onValue={onValue}
        disabled={isReadOnly}
        errors={errors}
        options={[
          { value: '', label: messages.noWatermark },
          ...images.map(({ ulid, name }) => ({ value: ulid, label: name })),
          // of another user, in a template that is shared
          ...(value !== '' && !image ? [{ value, label: value }] : []),
        ]}
      />
      {!isReadOnly && (
        <FileField
          label={messages.addImage}
          hint={messages.addImageHint}
          isOptional
          accept="image/jpeg,image/png,image/webp"
          onFile={(file) => file && upload.run(file)}
          errors={fieldErrors(upload.error).image ?? fieldErrors(upload.error).images}
        />
      )}
      <ErrorNotice error={error ?? (Object.keys(fieldErrors(upload.error)).length > 0 ? undefined : upload.error)} />
      {image && <WatermarkPreview image={image} query={query} />}
    </div>
  );
}
