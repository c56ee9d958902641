import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Refusal } from '../api/broker-client.ts';
import { Dialog } from './dialog.tsx';

interface ActionProps {
  /** What the control does: "Return 3 machines". */
  readonly label: string;
  /** The question before it is done, in the dialog. */
  readonly title: string;
  readonly children: ComponentChildren;
  readonly act: () => Promise<unknown>;
  readonly done?: (answer: any) => void;
  readonly disabled?: boolean;
  /** Whether it ends something. */
  readonly grave?: boolean;
  readonly kind?: 'plain' | 'main';
}

/** A control that asks once more, does what it says, and tells a refusal in the broker's own words. */
export function Action({
  label,
  title,
  children,
  act,
  done,
  disabled = false,
  grave = false,
  kind = 'plain',
}: ActionProps) {
  const open = useSignal(false);
  const busy = useSignal(false);
  const refused = useSignal<string | undefined>(undefined);
  async function carryOut(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    refused.value = undefined;
    try {
      const answer = await act();
      open.value = false;
      done?.(answer);
    } catch (error) {
      refused.value = error instanceof Refusal ? error.message : String(error);
    } finally {
      busy.value = false;
    }
  }
  return (
    <>
      <button type="button" class={`button ${kind}`} disabled={disabled} onClick={() => (open.value = true)}>
        {label}
      </button>
      {open.value ? (
        <Dialog title={title} close={() => (open.value = false)}>
          <form onSubmit={carryOut}>
            {children}
            {refused.value ? (
              <p class="trouble-note" role="alert">
                {refused.value}
              </p>
            ) : null}
            <div class="dialog-controls">
              <button type="button" class="button" onClick={() => (open.value = false)}>
                Keep as it is
              </button>
              <button type="submit" class={`button ${grave ? 'grave' : 'main'}`} disabled={busy.value}>
                {busy.value ? 'One moment…' : label}
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}
