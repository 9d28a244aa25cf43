import { useEffect, useRef } from 'preact/hooks';
import { giveKey, keyWanted } from '../api';

/** Asks for the key of the service, when it wants one. */
export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const reason = keyWanted.value;
  useEffect(() => {
    if (reason === null) dialog.current?.close();
    else if (!dialog.current?.open) dialog.current?.showModal();
  }, [reason]);
  const submit = (event: Event) => {
    event.preventDefault();
    const key = input.current?.value.trim();
    if (key) giveKey(key);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={submit}>
        <h2 id="key-title">API key required</h2>
        {reason ? (
          <p class="bad">{reason}</p>
        ) : (
          <p class="muted">It stays in this tab and is sent with each request.</p>
        )}
        <label class="field">
          <span>Key</span>
          <input ref={input} type="password" autocomplete="off" required autofocus />
        </label>
        <p class="muted small">
          <code>tocsin keys create --scope subscribe</code> makes one.
        </p>
        <div class="actions">
          <button class="primary" type="submit">
            Use this key
          </button>
        </div>
      </form>
    </dialog>
  );
}
