import type { Pool, PoolResource, Pools } from '../answers/pools'
import { useAnswer } from '../ask/answer'
import { amount, price } from '../parts/amount'
import { Answer } from '../parts/Answer'
import { Bar } from '../parts/Bar'
import { Panel } from '../parts/Panel'
import { ChangeLayer } from '../editor/Change'
import { useTitle } from '../shell/title'
import { Holders } from './Holders'

// PoolsPage answers where capacity is free, and who holds the rest.
export function PoolsPage() {
  useTitle('Pools')
  const pools = useAnswer<Pools>('pools')
  return (
    <div className="page">
      <div className="heading">
        <h1>Pools</h1>
        <p>Capacity as the decisions were made on it, and what applications were granted of it.</p>
        <p><ChangeLayer field="pools">Change the pools</ChangeLayer> <ChangeLayer>Change the platform</ChangeLayer></p>
      </div>
      <Answer of={pools}>
        {({ pools: list }) =>
          list.length === 0 ? <p className="empty">No pool has been seen yet.</p> : <>{list.map((p) => <OnePool key={p.pool} pool={p} />)}</>
        }
      </Answer>
    </div>
  )
}

function OnePool({ pool: p }: { pool: Pool }) {
  return (
    <Panel title={`Pool ${p.pool}`} note={about(p)}>
      {p.resources.map((r) => (
        <Resource key={r.resource} of={r} />
      ))}
    </Panel>
  )
}

function Resource({ of: r }: { of: PoolResource }) {
  const a = (n: number) => amount(r.resource, n)
  return (
    <div className="resource">
      <h3>
        {r.resource}: {a(r.granted)} of {a(r.capacity)} granted, {a(r.free)} free
      </h3>
      <Bar parts={[{ size: r.granted, kind: 'used', name: 'granted' }]} limit={r.capacity} />
      <div className="columns">
        <Holders title="By tenant" of={r} list={r.tenants} others={r.others} tenants />
        <Holders title="By band" of={r} list={r.bands} others={0} />
      </div>
    </div>
  )
}

function about(p: Pool): string {
  const said = [`${p.nodes} ${p.nodes === 1 ? 'node' : 'nodes'}`]
  if (p.os) said.push(p.os.join(', '))
  if (p.runtimes) said.push(p.runtimes.join(', '))
  if (p.price.cpu) said.push(`${price(p.price.cpu)} a core-hour`)
  if (p.price.memory) said.push(`${price(p.price.memory)} a GiB-hour`)
  return said.join(' · ')
}
