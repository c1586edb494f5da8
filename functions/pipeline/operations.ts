import * as streamEditRun from '../runs/stream-edit-run/stream-edit-run.ts';
import * as videoRun from '../runs/video-run/video-run.ts';
import type { Run, StreamEditRun, VideoRun } from '../table/videos/run.ts';

// The operations of a run, by its kind. This is the only place that branches on the kind. Each operation is an export
// of its own, so that the bundle of a state's function has only the operation that it calls, and its role only that
// one's permissions. RunOperations describes them.

export const claim = /* @__PURE__ */ byKind(videoRun.claim, streamEditRun.claim);
export const plan = /* @__PURE__ */ byKind(videoRun.plan, streamEditRun.plan);
export const recordOutputs = /* @__PURE__ */ byKind(videoRun.recordOutputs, streamEditRun.recordOutputs);
export const startPackaging = /* @__PURE__ */ byKind(videoRun.startPackaging, streamEditRun.startPackaging);
export const packageOutput = /* @__PURE__ */ byKind(videoRun.packageOutput, streamEditRun.packageOutput);
export const failOutput = /* @__PURE__ */ byKind(videoRun.failOutput, streamEditRun.failOutput);
export const publish = /* @__PURE__ */ byKind(videoRun.publish, streamEditRun.publish);
export const fail = /* @__PURE__ */ byKind(videoRun.fail, streamEditRun.fail);

function byKind<Input extends unknown[], Result>(
  ofVideo: (run: VideoRun, ...input: Input) => Result,
  ofStreamEdit: (run: StreamEditRun, ...input: Input) => Result,
): (run: Run, ...input: Input) => Result {
  return (run, ...input) => (run.kind === 'video' ? ofVideo(run, ...input) : ofStreamEdit(run, ...input));
}
