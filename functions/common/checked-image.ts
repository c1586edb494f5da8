import { type ImageHeader, type ImageType, readImageHeader } from '../../shared/media/image-header.ts';
import { maxImageBytes } from '../../shared/protocol/jobs.ts';
import { ValidationFailed } from './errors.ts';

type Expected = {
  /** of the request */
  field: string;
  /** limits of each side in pixels */
  sides: { min: number; max: number };
  /** as the request says; any when absent */
  type?: ImageType | undefined;
};

/**
 * The header of an uploaded image, which nothing has decoded. `bytes` is undefined for a file above the size limit.
 * @throws ValidationFailed for a file that is no image of this type, is incomplete, or has another size
 */
export function checkedHeader(bytes: Buffer | undefined, expected: Expected): ImageHeader {
  const header = bytes && readImageHeader(bytes);
  const fault = bytes && bytes.length <= maxImageBytes ? faultOf(header, expected) : tooLarge;
  if (!header || fault !== undefined) throw new ValidationFailed({ [expected.field]: [fault ?? notAnImage] });
  return header;
}

const tooLarge = 'The image has more than 5 MiB. Save it with a lower quality or fewer pixels.';
const notAnImage = 'The file is not a JPEG, PNG or WebP image.';

function faultOf(header: ImageHeader | undefined, { type, sides }: Expected): string | undefined {
  if (!header) return notAnImage;
  if (type !== undefined && type !== header.type)
    return `The file is not ${type.toUpperCase()}: send it as image/${header.type}.`;
  const { width, height, isComplete } = header;
  if (Math.min(width, height) < sides.min || Math.max(width, height) > sides.max) {
    return `The image has ${width} × ${height} pixels. Each side must have ${sides.min} to ${sides.max}.`;
  }
  return isComplete ? undefined : 'The image is incomplete. Upload it again.';
}
