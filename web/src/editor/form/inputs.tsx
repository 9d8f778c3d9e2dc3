import { useEffect, useState } from 'react'
import type { Value } from '../../answers/source'
import { amountOf } from '../schema'

export interface Input {
  id: string
  name: string
  value: Value | undefined
  put: (v: Value | undefined) => void
  required: boolean
  inherited: boolean // a default
  wrong: boolean
  describedBy: string
  suggested: string[]
}

const attributes = (i: Input) => ({
  id: i.id,
  className: i.inherited ? 'inherited' : undefined,
  'aria-invalid': i.wrong || undefined,
  'aria-describedby': i.describedBy,
})

const textOf = (v: Value | undefined) => (v === undefined ? '' : typeof v === 'string' ? v : JSON.stringify(v))

export function TextInput(i: Input) {
  const text = textOf(i.value)
  const put = (s: string) => i.put(s === '' && !i.required ? undefined : s)
  if (text.includes('\n')) return <textarea {...attributes(i)} rows={Math.min(16, text.split('\n').length + 1)} value={text} onChange={(e) => put(e.target.value)} spellCheck={false} />
  return (
    <>
      <input {...attributes(i)} type="text" value={text} onChange={(e) => put(e.target.value)} spellCheck={false} autoComplete="off" list={i.suggested.length > 0 ? `${i.id}-list` : undefined} />
      {i.suggested.length > 0 && (
        <datalist id={`${i.id}-list`}>
          {i.suggested.map((s) => (
            <option key={s} value={s} />
          ))}
        </datalist>
      )}
    </>
  )
}

// Typed keeps what somebody types as long as it is not yet what the draft can hold.
function useTyped(text: string): [string, (s: string) => void] {
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  return [typed, setTyped]
}

export function NumberInput(i: Input & { whole: boolean; least?: number; most?: number }) {
  const [typed, setTyped] = useTyped(textOf(i.value))
  return (
    <input
      {...attributes(i)}
      type="number"
      step={i.whole ? 1 : 'any'}
      min={i.least}
      max={i.most}
      value={typed}
      onChange={(e) => {
        setTyped(e.target.value)
        const n = e.target.valueAsNumber
        if (e.target.value === '' && !e.target.validity.badInput) i.put(undefined)
        else if (Number.isFinite(n) && (!i.whole || Number.isInteger(n))) i.put(n)
      }}
    />
  )
}

export function UnitInput(i: Input & { units: [string, string][] }) {
  const text = textOf(i.value)
  const [n, unit] = amountOf(text) ?? ['', i.units[0]?.[0] ?? '']
  const [chosen, setChosen] = useState(unit)
  const current = text === '' ? chosen : unit
  return (
    <span className="amount-of">
      <input
        {...attributes(i)}
        type="number"
        min={0}
        step="any"
        value={n}
        onChange={(e) => i.put(e.target.value === '' ? (i.required ? '' : undefined) : `${e.target.value}${current}`)}
      />
      <select
        aria-label={`${i.name}, unit`}
        value={current}
        onChange={(e) => {
          setChosen(e.target.value)
          if (n !== '') i.put(`${n}${e.target.value}`)
        }}
      >
        {i.units.map(([u, word]) => (
          <option key={u} value={u}>
            {word}
          </option>
        ))}
      </select>
    </span>
  )
}

export function BoolInput(i: Input) {
  return <Choose {...i} choices={[['true', 'yes'], ['false', 'no']]} read={(s) => s === 'true'} />
}

export function ChoiceInput(i: Input & { choices: string[] }) {
  const { choices, ...rest } = i
  return <Choose {...rest} choices={choices.map((c) => [c, c])} read={(s) => s} />
}

function Choose({ choices, read, ...i }: Input & { choices: [string, string][]; read: (s: string) => Value }) {
  const current = textOf(i.value)
  return (
    <select {...attributes(i)} value={current} onChange={(e) => i.put(e.target.value === '' ? undefined : read(e.target.value))}>
      {(current === '' || !i.required) && <option value="">not set</option>}
      {current !== '' && !choices.some(([v]) => v === current) && <option value={current}>{current}</option>}
      {choices.map(([v, word]) => (
        <option key={v} value={v}>
          {word}
        </option>
      ))}
    </select>
  )
}

// AnyInput edits what has no schema, as JSON.
export function AnyInput(i: Input) {
  const text = i.value === undefined ? '' : JSON.stringify(i.value, null, 2)
  const [typed, setTyped] = useTyped(text)
  const [wrong, setWrong] = useState('')
  return (
    <span className="any">
      <textarea
        {...attributes(i)}
        rows={Math.min(16, Math.max(2, typed.split('\n').length))}
        value={typed}
        spellCheck={false}
        onChange={(e) => {
          setTyped(e.target.value)
          if (e.target.value.trim() === '') return i.put(undefined)
          try {
            i.put(JSON.parse(e.target.value) as Value)
            setWrong('')
          } catch (error) {
            setWrong(error instanceof Error ? error.message : 'it cannot be read')
          }
        }}
      />
      <small className="soft" aria-live="polite">{wrong === '' ? 'written as JSON' : `not taken over: this is no JSON yet (${wrong})`}</small>
    </span>
  )
}
