import { useEffect, useId, useState } from 'react'
import { Slider } from '../parts/Slider'
import { read, shown, written, type Knob } from './knob'
import type { Setting } from './setting'

// KnobSlider changes one value, by a slider or as text.
export function KnobSlider({ knob: k, setting, put }: { knob: Knob; setting: Setting | undefined; put: (value: string | undefined) => void }) {
  const id = useId()
  const value = setting ? valueOf(k, setting.value) : k.now
  const set = (n: number) => put(n === k.now ? undefined : written(k.unit, n))
  return (
    <div className={setting ? 'knob turned' : 'knob'}>
      <span className="label" id={id}>{k.label}</span>
      <Slider label={id} value={value} least={k.least} most={Math.max(k.most, value)} step={k.step} now={k.now} said={shown(k.unit, value)} change={set} />
      <TextValue knob={k} value={value} set={set} />
      {setting ? (
        <button type="button" className="plain" onClick={() => put(undefined)} aria-label={`was ${shown(k.unit, k.now)}: put ${k.label} of ${k.group} back`}>
          was {shown(k.unit, k.now)}
        </button>
      ) : (
        <span />
      )}
    </div>
  )
}

// valueOf reads a setting: +20 is added to what there is.
function valueOf(k: Knob, value: string): number {
  const sign = value.startsWith('+') ? 1 : value.startsWith('-') ? -1 : 0
  const n = read(k.unit, sign === 0 ? value : value.slice(1))
  if (Number.isNaN(n)) return k.now
  return sign === 0 ? n : k.now + sign * n
}

function TextValue({ knob: k, value, set }: { knob: Knob; value: number; set: (n: number) => void }) {
  const [typed, setTyped] = useState(written(k.unit, value))
  useEffect(() => setTyped(written(k.unit, value)), [k.unit, value])
  const take = () => {
    const n = read(k.unit, typed)
    if (Number.isNaN(n) || n < 0) setTyped(written(k.unit, value))
    else if (n !== value) set(n)
  }
  return (
    <input
      type="text"
      className="amount"
      aria-label={`${k.label} of ${k.group}`}
      value={typed}
      spellCheck={false}
      onChange={(e) => setTyped(e.target.value)}
      onBlur={take}
      onKeyDown={(e) => e.key === 'Enter' && take()}
    />
  )
}
