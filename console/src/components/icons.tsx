/** The console's own icons: strokes on a field of 24 by 24. */

const PATHS = {
  bell: 'M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7Zm4 10a2 2 0 0 0 4 0',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  subscriptions: 'M4 6h16M4 12h16M4 18h10',
  matches: 'M12 3l2.6 5.6 6 .7-4.4 4.1 1.2 6L12 16.4l-5.4 3 1.2-6L3.4 9.3l6-.7Z',
  map: 'M9 4 3 6.5v13L9 17l6 3 6-2.500v-13L15 7Zm0 0v13m6-10v13',
  timeline: 'M4 5v14M4 8h9M8 12h12M4 16h7',
  plan: 'M4 4h6v5H4zM14 4h6v5h-6zM9 15h6v5H9zM7 9v3h10V9m-5 3v3',
  knowledge: 'M12 3v5M6 13V9.500h12V13M3 13h6v5H3zM15 13h6v5h-6z',
  letters: 'M3 6h18v12H3zm0 1 9 6 9-6',
  plus: 'M12 5v14M5 12h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0-5v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.400m0-12.800L17 7M7 17l-1.4 1.4',
  moon: 'M19 14.500A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.500Z',
  auto: 'M12 4a8 8 0 1 0 0 16Zm0 0a8 8 0 0 1 0 16',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm5 11.500L20 20',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7Z',
  help: 'M9 9a3 3 0 1 1 4.2 2.800c-.8.4-1.2 1-1.2 2.200m0 3v.2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
