export const sampleRate = 16_000;
const frameSamples = 320;
const frameSeconds = frameSamples / sampleRate;

/** What the engine hears at a time: Whisper reads 30 s, however short a window is. */
const longestSeconds = 28;
/** A window that has to be divided inside of speech is at least this long. */
const shortestSeconds = 18;

/** Below, there is no speech that anyone could understand. */
const quietestDb = -55;
/** Speech is louder than the background by this much. Noise that stays the same never is. */
const aboveFloorDb = 6;
/** Pauses in speech that is one stretch. */
const pauseSeconds = 0.6;
/** Clicks are shorter. */
const shortestStretchSeconds = 0.12;
/** The first and the last sounds of a word are quiet. */
const padSeconds = 0.2;
/** After such a pause a window of its own costs less than text that the engine makes up for the pause. */
const longPauseSeconds = 8;

/** A time range in seconds. */
export type Stretch = { from: number; to: number };
/** `stretches` are those in which there may be speech. */
export type SpeechWindow = Stretch & { stretches: Stretch[] };

/** Where the sound changes as speech does, in windows that the engine hears at a time. */
export function speechWindows(samples: Int16Array): SpeechWindow[] {
  const levels = frameLevels(samples);
  const windows: SpeechWindow[] = [];
  for (const stretch of stretchesOf(levels).flatMap((one) => divided(one, levels))) {
    const last = windows.at(-1);
    const isNear = last && stretch.from - last.to < longPauseSeconds && stretch.to - last.from <= longestSeconds;
    if (last && isNear) {
      last.to = stretch.to;
      last.stretches.push(stretch);
    } else windows.push({ ...stretch, stretches: [stretch] });
  }
  return windows;
}

/** The level of each frame in dB of full scale. */
function frameLevels(samples: Int16Array): Float32Array {
  const levels = new Float32Array(Math.floor(samples.length / frameSamples));
  for (let frame = 0; frame < levels.length; frame++) {
    let sum = 0;
    for (let at = frame * frameSamples; at < (frame + 1) * frameSamples; at++) sum += samples[at]! * samples[at]!;
    levels[frame] = 10 * Math.log10(sum / frameSamples / 32_768 ** 2 + 1e-10);
  }
  return levels;
}

function stretchesOf(levels: Float32Array): Stretch[] {
  // Digital silence says nothing about the background of the rest.
  const sounding = levels.filter((level) => level > -90).toSorted();
  const floorDb = sounding[Math.floor(sounding.length / 10)] ?? 0;
  const threshold = Math.max(quietestDb, floorDb + aboveFloorDb);
  const found: Stretch[] = [];
  for (const [frame, level] of levels.entries()) {
    if (level <= threshold) continue;
    const [from, to] = [frame * frameSeconds, (frame + 1) * frameSeconds];
    const last = found.at(-1);
    if (last && from - last.to < pauseSeconds) last.to = to;
    else found.push({ from, to });
  }
  const end = levels.length * frameSeconds;
  return found
    .filter(({ from, to }) => to - from >= shortestStretchSeconds)
    .map(({ from, to }) => ({ from: Math.max(0, from - padSeconds), to: Math.min(end, to + padSeconds) }));
}

/** A long stretch in parts, divided where it is quietest. */
function divided(stretch: Stretch, levels: Float32Array): Stretch[] {
  const parts: Stretch[] = [];
  let { from } = stretch;
  while (stretch.to - from > longestSeconds) {
    const at = quietest(levels, from + shortestSeconds, Math.min(from + longestSeconds, stretch.to));
    parts.push({ from, to: at });
    from = at;
  }
  return [...parts, { from, to: stretch.to }];
}

/** Frames on each side that count: a pause between words has about a tenth of a second. */
const aroundFrames = 4;

function quietest(levels: Float32Array, from: number, to: number): number {
  let best = { level: Number.POSITIVE_INFINITY, frame: Math.floor(to / frameSeconds) };
  for (let frame = Math.ceil(from / frameSeconds); frame < Math.floor(to / frameSeconds); frame++) {
    const around = levels.subarray(Math.max(0, frame - aroundFrames), frame + aroundFrames + 1);
    const level = around.reduce((sum, one) => sum + one, 0) / around.length;
    if (level < best.level) best = { level, frame };
  }
  return best.frame * frameSeconds;
}
