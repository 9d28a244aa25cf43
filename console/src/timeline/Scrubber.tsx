/** A slider over the whole log, by time of reception, with steps to what is before and after. */

import { useEffect, useState } from 'preact/hooks';
import { shownInstant } from './instants';

interface ScrubberProps {
  begins: number | null;
  isFollowing: boolean;
  goTo: (received: number) => void;
  more: (where: 'earlier' | 'later') => void;
}

const STEPS = 1000;

export function Scrubber({ begins, isFollowing, goTo, more }: ScrubberProps) {
  const [share, setShare] = useState(STEPS);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isFollowing) return setNow(Date.now());
    setShare(STEPS);
  }, [isFollowing]);
  if (begins === null) return null;
  const instantAt = (step: number): number => begins + ((now - begins) * step) / STEPS;
  return (
    <div class="card">
      <div class="card-body timeline-tools">
        <button onClick={() => more('earlier')}>Earlier</button>
        <label class="timeline-scrub">
          <span>
            {isFollowing
              ? 'Following what comes; move to go back in the log'
              : `Received up to ${shownInstant(instantAt(share))}`}
          </span>
          <input
            type="range"
            min={0}
            max={STEPS}
            value={share}
            onInput={(event) => setShare(Number(event.currentTarget.value))}
            onChange={(event) => goTo(instantAt(Number(event.currentTarget.value)))}
          />
        </label>
        <button onClick={() => more('later')}>Later</button>
      </div>
    </div>
  );
}
