import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { orders, type Filters, type Order } from './filters'

const Phases = lazy(() => import('./Phases'))

// pause is how long typing rests before the server is asked.
const pause = 200

const orderNames: Record<Order, string> = { unwell: 'unwell first', name: 'by name', since: 'latest change first' }

// FilterBar changes the filters. They stand in the address, so that they can be sent to somebody and survive a reload.
export function FilterBar({ filters, tenants }: { filters: Filters; tenants?: string[] }) {
  const navigate = useNavigate()
  const set = (change: Filters) =>
    navigate({ to: '.', replace: true, search: (s: Filters) => ({ ...s, after: undefined, ...change }), resetScroll: false })
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
      <Suspense fallback={<p className="phases loading">Phases …</p>}>
        <Phases chosen={filters.phase ?? []} choose={(phase) => void set({ phase })} />
      </Suspense>
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
