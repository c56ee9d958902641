import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';

interface ViewProps {
  /** The heading, and the title of the tab. */
  readonly title: string;
  /** Beside the heading: what the view is about, in a few words. */
  readonly note?: ComponentChildren;
  readonly controls?: ComponentChildren;
  readonly children: ComponentChildren;
  /** An id: it is set in the type of ids and may break anywhere. */
  readonly isId?: boolean;
}

/** The frame of every view: one heading, its controls, and what it shows. */
export function View({ title, note, controls, children, isId = false }: ViewProps) {
  useEffect(() => {
    document.title = `${title} · muster`;
  }, [title]);
  return (
    <>
      <header class="view-head">
        <div>
          <h1 tabIndex={-1} class={isId ? 'id' : undefined}>
            {title}
          </h1>
          {note ? <p class="view-note">{note}</p> : null}
        </div>
        {controls ? <div class="view-controls">{controls}</div> : null}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

export function Section({ title, note, children, wide = false }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} class={wide ? 'section wide' : 'section'}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {note ? <span class="quiet">{note}</span> : null}
      </div>
      {children}
    </section>
  );
}
