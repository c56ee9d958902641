import { useSignal } from '@preact/signals';

interface CopyProps {
  readonly label: string;
  readonly text: string;
}

/** Copies a text, and says so. Where the browser does not allow it, the text is shown to be copied by hand. */
export function Copy({ label, text }: CopyProps) {
  const state = useSignal<'ready' | 'copied' | 'shown'>('ready');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
      setTimeout(() => (state.value = 'ready'), 1_600);
    } catch {
      state.value = 'shown';
    }
  }
  return (
    <span class="copy">
      <button type="button" class="button small" onClick={copy}>
        {state.value === 'copied' ? 'Copied' : label}
      </button>
      <span role="status" class="hidden-text">
        {state.value === 'copied' ? 'Copied' : ''}
      </span>
      {state.value === 'shown' ? <code class="copied-text">{text}</code> : null}
    </span>
  );
}
