/** What a text track is for. `forced` is shown to viewers who have not chosen a track: signs, foreign dialogue. */
export const captionKinds = ['captions', 'subtitles', 'forced', 'chapters'] as const;
export type CaptionKind = (typeof captionKinds)[number];

/** A text and the time at which it is shown, in milliseconds from the start of the presentation. */
export type Cue = {
  startMs: number;
  endMs: number;
  /** WebVTT cue settings such as `line:0 align:start`, empty without any */
  settings: string;
  /** WebVTT cue text: only tags that WebVTT knows, other characters escaped, no empty line */
  text: string;
};
