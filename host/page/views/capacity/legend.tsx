const entries = [
  ['free', 'no lack is known'],
  ['due', 'lacked machines; tried again when nothing else is left'],
  ['short', 'lacked machines just now; not asked before its time'],
  ['none', 'no template allows it'],
] as const;

/** The four looks of a pool, in words. */
export const Legend = () => (
  <ul class="legend capacity-legend" aria-label="Legend">
    {entries.map(([look, words]) => (
      <li key={look} class="legend-entry">
        <span class={`pool pool-sample pool-${look}`} aria-hidden="true" />
        {words}
      </li>
    ))}
  </ul>
);
