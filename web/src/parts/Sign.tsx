import type { Tone } from './state'

const paths: Record<Tone, string> = {
  ok: 'M3.5 8.5l3 3 6-7',
  warn: 'M8 2.5l6 11H2zM8 6.5v3.5M8 11.8v.2',
  bad: 'M4 4l8 8M12 4l-8 8',
  wait: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.3l2.2 1.5',
  move: 'M3 8h9M8.5 4.5L12 8l-3.5 3.5',
  off: 'M8 5a3 3 0 1 0 .01 0',
}

// Sign is the shape that goes with a tone, so that nobody has to tell colours apart.
export function Sign({ tone }: { tone: Tone }) {
  return (
    <svg className="sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[tone]} />
    </svg>
  )
}
