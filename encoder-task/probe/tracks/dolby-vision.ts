import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';

/** The Dolby Vision configuration of a track, from its container. */
const configuration = ({ side_data_list = [] }: ProbeStream) =>
  side_data_list.find(({ dv_profile }) => dv_profile !== undefined);

/** The second track of a Dolby Vision profile with two: it has no complete picture. */
export const isEnhancementLayer = (stream: ProbeStream): boolean => configuration(stream)?.bl_present_flag === 0;

/**
 * Throws JobError INPUT_UNSUPPORTED for Dolby Vision whose picture no other decoder shows in its colours: profile 5,
 * and profile 10 of AV1 without compatibility, have the colour space IPTPQc2. All others are compatible with HDR10,
 * HLG or SDR.
 */
export function rejectDolbyVision(stream: ProbeStream): void {
  const { dv_profile: profile, dv_bl_signal_compatibility_id: compatibility } = configuration(stream) ?? {};
  if (profile === undefined || (profile !== 5 && compatibility !== 0)) return;
  throw new JobError(
    'INPUT_UNSUPPORTED',
    `The video is Dolby Vision profile ${profile}, whose colours can only be shown by Dolby Vision decoders. ` +
      'Export it as HDR10, HLG or SDR, or as Dolby Vision profile 8.',
  );
}
