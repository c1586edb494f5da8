import * as z from 'zod';

/** Why the samples of a track cannot be packaged without encoding, as a clause about the source. */
export const copyObstacles = {
  container: 'its file has no complete index of key frames: only MP4 and MOV files with one are copied',
  'sample-entry': 'the file is encrypted, crops its frames, or describes them in several ways or within the samples',
  transform: 'the file turns, mirrors or scales its frames',
  profile: 'its profile is none of baseline, main and high with 8 bits and 4:2:0',
  interlaced: 'it may contain interlaced frames',
  frames: 'its samples are not exactly its frames: an edit list cuts them, or some are missing',
  order: 'its frames are not in the order that the file declares',
  'key-frames': 'frames that the file declares as key frames depend on earlier frames',
  parameters: 'the parameters of its bitstream change, or are not used everywhere in the same way',
  damage: 'some of its samples are damaged',
} as const;
export type CopyObstacle = keyof typeof copyObstacles;

export const copyProfiles = ['baseline', 'main', 'high'] as const;

/** What the probe found about copying the video track: why it is not possible, or what decides about it. */
export const copyPropertiesSchema = z.union([
  z.strictObject({ obstacle: z.enum(Object.keys(copyObstacles) as [CopyObstacle, ...CopyObstacle[]]) }),
  z.strictObject({ profile: z.enum(copyProfiles), level: z.number().min(0).max(26) }),
]);
export type CopyProperties = z.infer<typeof copyPropertiesSchema>;
