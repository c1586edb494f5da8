import type { JSX } from 'preact';

/** The controls as they are written in JSX, with the attributes that the player uses. */
type Control = JSX.HTMLAttributes<HTMLElement> & {
  seekoffset?: number;
  noautohide?: boolean;
  showduration?: boolean;
  notoggle?: boolean;
  keyboardforwardseekoffset?: number;
  keyboardbackwardseekoffset?: number;
};

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements extends Record<`media-${string}`, Control> {}
  }
}
