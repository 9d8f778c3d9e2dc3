import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { phases } from '../answers/words'
import { Sign } from '../parts/Sign'
import { toneOf } from '../parts/state'
import { orders, type Filters, type Order } from './filters'

// pause is how long typing rests before the server is asked.
const pause = 200

const orderNames: Record<Order, string> = { unwell: 'unwell first', name: 'by name', since: 'latest change first' }

// FilterBar changes the filters. They stand in the address, so that they can be sent to somebody and survive a reload.
export function FilterBar({ filters, tenants }: { filters: Filters; tenants?: string[] }) {
  const navigate = useNavigate()
  const set = (change: Filters) =>
    navigate({ to: '.', replace: true, search: (s: Filters) => ({ ...s, after: undefined, ...change }), resetScroll: false })
  const chosen = filters.phase ?? []
  const toggle = (phase: string) => {
    const next = chosen.includes(phase) ? chosen.filter((p) => p !== phase) : [...chosen, phase]
    void set({ phase: next.length > 0 ? next : undefined })
  }
  return (
    <form className="filters" role="search" aria-label="Applications" onSubmit={(e) => e.preventDefault()}>
      <SearchBox value={filters.q ?? ''} set={(q) => void set({ q: q || undefined })} />
      {tenants && (
        <label>
          <span>Tenant</span>
          <select value={filters.tenant ?? ''} onChange={(e) => void set({ tenant: e.target.value || undefined })}>
            <option value="">all</option>
            {tenants.toSorted().map((t) => (
              <option key={t}>{t}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span>Order</span>
        <select value={filters.sort ?? 'unwell'} onChange={(e) => void set({ sort: orders.find((o) => o === e.target.value) })}>
          {orders.map((o) => (
            <option key={o} value={o}>
              {orderNames[o]}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend className="unseen">Phase</legend>
        {['unwell', ...phases].map((p) => (
          <button key={p} type="button" className={`chip ${p === 'unwell' ? 'warn' : toneOf(p)}`} aria-pressed={chosen.includes(p)} onClick={() => toggle(p)}>
            <Sign tone={p === 'unwell' ? 'warn' : toneOf(p)} />
            {p}
          </button>
        ))}
      </fieldset>
    </form>
  )
}

function SearchBox({ value, set }: { value: string; set: (q: string) => void }) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setTyped(value), [value]) // the address changed elsewhere
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <label className="grow">
      <span className="unseen">Search</span>
      <input
        type="search"
        placeholder="Name, message or image"
        value={typed}
        onChange={(e) => {
          const q = e.target.value
          setTyped(q)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => set(q), pause)
        }}
      />
    </label>
  )
}
