import type { CopyObstacle } from '../../shared/protocol/copy-properties.ts';

/** The samples of a track cannot be packaged as they are. The track can still be encoded. */
export class NotCopyable extends Error {
  readonly obstacle: CopyObstacle;

  constructor(obstacle: CopyObstacle, detail: string) {
    super(detail);
    this.name = 'NotCopyable';
    this.obstacle = obstacle;
  }
}
