const magic = 0x67676d6c;
/** The bytes at the start of a model that say what it is. */
export const speechHeaderBytes = 48;

/** What the engine needs besides the model: its program, and the buffers for a window of sound. */
const programBytes = 256 * 2 ** 20;
const mib = 2 ** 20;

/** Above the numbers of the largest model that exists, large-v3. */
const largest = { state: 2048, layers: 64 };

/** `onlyLanguage` is that of a model for one language, which would name any other for speech that it should detect. */
type SpeechModel = { memoryBytes: number; onlyLanguage: 'en' | null } | { problem: string };

/** Models of several languages have a token more for each. */
const englishVocabulary = 51_864;

/**
 * How much memory the engine may use with a Whisper model in the format of whisper.cpp, or why the file cannot be used,
 * as the end of a sentence about it.
 * @param header the first bytes of the file
 */
export function describeSpeechModel(header: Uint8Array, file: { bytes: number; machineBytes: number }): SpeechModel {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.byteLength < speechHeaderBytes || view.getUint32(0, true) !== magic) {
    return { problem: 'is no Whisper model in the format of whisper.cpp, such as ggml-base.bin' };
  }
  const number = (index: number): number => view.getInt32(4 * (index + 1), true);
  const [vocabulary, audioState, audioLayers] = [number(0), number(2), number(4)];
  const [textState, textLayers, type] = [number(6), number(8), number(10)];
  const sizes = [audioState, textState, audioLayers, textLayers];
  if (vocabulary < 50_000 || vocabulary > 100_000 || sizes.some((size) => size < 1) || isTooLarge()) {
    return { problem: 'is a model that whisper.cpp does not know' };
  }
  if (type % 1000 === 0) return { problem: 'has weights of 32 bits, with which the engine ends: use one of 16 bits' };
  // The matrices of the layers, without what is small beside them.
  const weights = vocabulary * textState + 12 * audioLayers * audioState ** 2 + 16 * textLayers * textState ** 2;
  if (file.bytes < (weights * bitsOf(type)) / 8) return { problem: 'is not complete: copy it again' };
  const buffers = mib * (150 + 0.12 * textState * Math.sqrt(textLayers + audioLayers));
  const memoryBytes = Math.round(1.1 * file.bytes + buffers + programBytes);
  const onlyLanguage = vocabulary === englishVocabulary ? 'en' : null;
  if (memoryBytes <= file.machineBytes) return { memoryBytes, onlyLanguage };
  const needed = `${Math.ceil(memoryBytes / mib)} MiB`;
  return { problem: `needs ${needed} of memory, more than this machine has: use a smaller or a quantised model` };

  function isTooLarge(): boolean {
    return Math.max(audioState, textState) > largest.state || Math.max(audioLayers, textLayers) > largest.layers;
  }
}

/** Of a weight, at least. Above the last three digits, the type has the version of the quantisation. */
function bitsOf(type: number): number {
  const kind = type % 1000;
  if (kind === 1) return 16;
  if (kind === 7) return 8;
  return [2, 3, 8, 9].includes(kind) ? 4 : 2;
}
