// Icons, drawn on a grid of 16.

const paths = {
  video: 'M2.5 4.5h11v7h-11zM5 4.5v7M11 4.5v7',
  image: 'M2.5 3.5h11v9h-11zM2.5 10.5l3.2-3 2.6 2.4 2-1.6 3.2 2.9',
  text: 'M3 4.5h10M3 8h10M3 11.5h6',
  nested: 'M4 2.5v7h8',
  play: 'M5 3.5l8 4.5-8 4.5z',
  pause: 'M5 3.5v9M11 3.5v9',
  step: 'M3.5 3.5l6 4.5-6 4.5zM12 3.5v9',
  down: 'M8 3v9M4.5 8.5L8 12l3.5-3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
  fold: 'M5 2.5v11M11 2.5v11M1.5 8H5M11 8h3.5',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6z',
  help: 'M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.5M8 12v.2',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  minus: 'M4 8h8',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  bolt: 'M9 1.8L3.5 9H8l-1 5.2L12.5 7H8z',
  save: 'M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.5h10',
  warn: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.2',
  chevron: 'M4.5 6.5L8 10l3.5-3.5',
} as const
export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={name === 'play' || name === 'bolt' ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}

/** The mark of greenroom: a door ajar. */
export function Mark() {
  return (
    <svg class="mark" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <rect x="2" y="1.5" width="12" height="17" rx="1.5" class="mark-room" />
      <path d="M14 1.9l4 2.6v11l-4 2.6z" class="mark-door" />
      <circle cx="15.6" cy="10.2" r="0.9" class="mark-knob" />
    </svg>
  )
}
