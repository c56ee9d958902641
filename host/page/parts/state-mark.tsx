import type { ComponentChildren } from 'preact';

/** A state as a shape. Each shape has a meaning of its own, so that no state is told by its color alone. */
export type Mark = 'waiting' | 'moving' | 'good' | 'part' | 'bad' | 'off' | 'leaving' | 'gone' | 'unknown';

const ring = <circle cx="6" cy="6" r="4.6" class="mark-line" />;

const shapes: Readonly<Record<Mark, ComponentChildren>> = {
  waiting: <circle cx="6" cy="6" r="4.6" class="mark-line" stroke-dasharray="2.1 1.51" />,
  moving: (
    <>
      {ring}
      <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" />
    </>
  ),
  good: (
    <>
      <circle cx="6" cy="6" r="5.2" />
      <path d="m3.5 6.2 1.8 1.8 3.2-3.8" class="mark-cut" />
    </>
  ),
  part: (
    <>
      {ring}
      <path d="M6 6V1.4A4.6 4.6 0 1 1 1.4 6z" />
    </>
  ),
  bad: (
    <>
      <rect x="0.9" y="0.9" width="10.2" height="10.2" rx="1.6" />
      <path d="m3.7 3.7 4.6 4.6m0-4.6L3.7 8.3" class="mark-cut" />
    </>
  ),
  off: (
    <>
      {ring}
      <path d="m2.8 9.2 6.4-6.4" class="mark-line" />
    </>
  ),
  leaving: <path d="M1.6 2.6h8.8L6 10.4z" class="mark-line" />,
  gone: <path d="M2.2 6h7.6" class="mark-line" />,
  unknown: (
    <>
      <path d="M6 1 11 6 6 11 1 6z" class="mark-line" />
      <circle cx="6" cy="6" r="1.1" />
    </>
  ),
};

/** A state in shape and word. */
export const State = ({ mark, children }: { readonly mark: Mark; readonly children: ComponentChildren }) => (
  <span class={`state state-${mark}`}>
    <Shape mark={mark} />
    <span>{children}</span>
  </span>
);

/** The shape alone, where its word stands beside it. */
export const Shape = ({ mark }: { readonly mark: Mark }) => (
  <svg class={`shape shape-${mark}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    {shapes[mark]}
  </svg>
);
