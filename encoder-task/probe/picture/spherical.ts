import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import type { Spherical } from '../../../shared/protocol/probe-result.ts';

/** FFmpeg's names. */
const stereoTypes: Record<string, Spherical['stereo']> = {
  'top and bottom': 'top-bottom',
  'side by side': 'left-right',
};

/** The projection of a 360° video, from boxes or XML of MP4 or from elements of Matroska. */
export function readSpherical({ side_data_list = [] }: ProbeStream): Spherical | undefined {
  const mapping = side_data_list.find(({ side_data_type }) => side_data_type === 'Spherical Mapping');
  const stereo = side_data_list.find(({ side_data_type }) => side_data_type === 'Stereo 3D');
  if (!mapping) return undefined;
  const isKnown = mapping.projection === 'equirectangular' || mapping.projection === 'cubemap';
  return {
    projection: isKnown ? (mapping.projection as 'equirectangular' | 'cubemap') : 'other',
    stereo: stereoTypes[stereo?.type ?? ''] ?? 'mono',
    ...poseOf(mapping),
  };
}

type SideData = NonNullable<ProbeStream['side_data_list']>[number];

/** FFmpeg's numbers are whole degrees. */
function poseOf({ yaw = 0, pitch = 0, roll = 0 }: SideData): Pick<Spherical, 'pose'> {
  const pose = { yaw: Math.round(yaw), pitch: Math.round(pitch), roll: Math.round(roll) };
  return Object.values(pose).some((turn) => turn !== 0) ? { pose } : {};
}
