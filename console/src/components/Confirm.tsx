import { useEffect, useRef } from 'preact/hooks';

/** Asks before something is done that cannot be taken back. */
export function Confirm({
  title,
  text,
  action,
  onDecide,
}: {
  title: string;
  text: string;
  action: string;
  onDecide: (isWanted: boolean) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={() => onDecide(false)}>
      <form method="dialog">
        <h2 id="confirm-title">{title}</h2>
        <p class="muted">{text}</p>
        <div class="actions">
          <button type="submit">Cancel</button>
          <button type="button" class="danger" onClick={() => onDecide(true)}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
