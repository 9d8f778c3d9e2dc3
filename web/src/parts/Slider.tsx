import { Slider as Radix } from 'radix-ui'
import '../style/slider.css'

interface Props {
  label: string // id of the element that names it
  value: number
  least: number
  most: number
  step?: number
  now?: number // what is in force, which a mark shows
  said: string // the value in words
  change: (to: number) => void
}

// Slider chooses a number. Arrow keys go one step, with Shift or by page ten.
export function Slider({ label, value, least, most, step = 1, now, said, change }: Props) {
  const fixed = most <= least
  const top = fixed ? least + 1 : most
  return (
    <Radix.Root className="slider" min={least} max={top} step={step} value={[value]} disabled={fixed} onValueChange={([to]) => to !== undefined && change(to)}>
      <Radix.Track className="track">
        <Radix.Range className="range" />
        {now !== undefined && <span className="now" style={{ left: middle((now - least) / (top - least)) }} />}
      </Radix.Track>
      <Radix.Thumb className="thumb" aria-labelledby={label} aria-valuetext={said} />
    </Radix.Root>
  )
}

// half is that of the thumb, which stays within the track.
const half = 8

// middle is where the thumb stands at a part of the track.
const middle = (part: number) => `calc(${100 * part}% + ${half * (1 - 2 * part)}px)`
