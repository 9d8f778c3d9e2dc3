import { Link, useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useEdits } from '../editor/useEdits'
import { count } from '../parts/amount'
import { Failure } from '../parts/Answer'
import { Panel } from '../parts/Panel'
import { ApplicationRow } from './ApplicationRow'
import { FilterBar } from './FilterBar'
import type { Filters } from './filters'
import { mostRows, useRows } from './rows'

// rowHeight is what a row takes, before it is measured.
const rowHeight = 45

// Applications is the table of applications. The server selects and orders; rows come as they are scrolled to, and only those in
// view are in the page.
export function Applications({ filters, tenants }: { filters: Filters; tenants?: string[] }) {
  const { rows, total, error, more, fetchMore, next } = useRows(filters)
  const table = useRef<HTMLTableElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    if (table.current) setOffset(table.current.getBoundingClientRect().top + window.scrollY)
  }, [rows.length > 0])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (i) => rows[i]?.application ?? i,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && last >= rows.length - 15) fetchMore()
  }, [more, last, rows.length, fetchMore])
  const above = items.length > 0 ? (items[0]?.start ?? 0) - offset : 0
  const below = items.length > 0 ? virtual.getTotalSize() - ((items.at(-1)?.end ?? 0) - offset) : 0
  return (
    <Panel title="Applications" note={total === undefined ? undefined : <span role="status">{count(total)} {total === 1 ? 'matches' : 'match'}</span>} aside={<Begin tenant={filters.tenant} />}>
      <FilterBar filters={filters} tenants={tenants} />
      {error && rows.length === 0 && <Failure error={error} />}
      {filters.after && <Beginning />}
      <table className="applications" ref={table} aria-rowcount={(total ?? rows.length) + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Application</th>
            <th scope="col">Phase</th>
            <th scope="col">Ready</th>
            <th scope="col">Why</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
          {items.map((item) => {
            const row = rows[item.index]
            return row && <ApplicationRow key={item.key} row={row} index={item.index} measure={virtual.measureElement} />
          })}
          {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
        </tbody>
      </table>
      {total === 0 && <p className="empty">{filters.q || filters.phase ? 'No application matches.' : 'There is no application yet.'}</p>}
      {!more && next && (
        <p className="more">
          These are {rows.length} rows; a page holds at most {mostRows}.{' '}
          <Link to="." search={(s) => ({ ...s, after: next })}>
            Go on behind them
          </Link>
          , or narrow the filters.
        </p>
      )}
    </Panel>
  )
}

function Begin({ tenant }: { tenant: string | undefined }) {
  return useEdits() ? (
    <Link to="/new/application" search={{ tenant }} className="aside">
      New application
    </Link>
  ) : null
}

function Beginning() {
  const navigate = useNavigate()
  return (
    <p className="more">
      <button type="button" className="plain" onClick={() => void navigate({ to: '.', search: (s: Filters) => ({ ...s, after: undefined }) })}>
        Back to the first rows
      </button>
    </p>
  )
}
