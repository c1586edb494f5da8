/** Names of the playlists in the folder of an output's manifests. */

export const multivariantFile = 'master.m3u8';
export const mediaPlaylistFile = ({ name }: { name: string }): string => `${name}.m3u8`;
export const iFramePlaylistFile = ({ name }: { name: string }): string => `${name}-key-frames.m3u8`;
