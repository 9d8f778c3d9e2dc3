import { Link } from '@tanstack/react-router'
import type { NamedShare, PoolResource } from '../answers/pools'
import { amount } from '../parts/amount'
import { Bar } from '../parts/Bar'

// Holders lists who holds how much of one resource of a pool.
export function Holders({ title, of: r, list, others, tenants }: { title: string; of: PoolResource; list: NamedShare[]; others: number; tenants?: boolean }) {
  const row = (name: string, granted: number, link: boolean) => (
    <tr key={name}>
      <th scope="row">
        {link ? (
          <Link to="/tenants/$tenant" params={{ tenant: name }}>
            {name}
          </Link>
        ) : (
          name
        )}
      </th>
      <td className="wide">
        <Bar parts={[{ size: granted, kind: 'used' }]} limit={r.capacity} />
      </td>
      <td className="number">{amount(r.resource, granted)}</td>
      <td className="number">{r.capacity > 0 ? `${((100 * granted) / r.capacity).toFixed(1)} %` : ''}</td>
    </tr>
  )
  return (
    <table className="holders">
      <caption>{title}</caption>
      <tbody>
        {list.map((s) => row(s.name, s.granted, tenants === true))}
        {others > 0 && row('all others', others, false)}
        {list.length === 0 && (
          <tr>
            <td className="soft">nobody holds any of it</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
