import type { Tenant } from '../answers/tenant'
import { amount } from '../parts/amount'
import { Bar } from '../parts/Bar'
import { Panel } from '../parts/Panel'

// Quotas shows what a tenant is granted of each resource against its quota and its guarantee, and what is left.
export function Quotas({ tenant }: { tenant: Tenant }) {
  return (
    <Panel title="Quota" note={tenant.declared ? undefined : 'its declaration is not known'}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Quota by resource">
        <table>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <td className="wide" />
              <th scope="col" className="number">Granted</th>
              <th scope="col" className="number">Quota</th>
              <th scope="col" className="number">Headroom</th>
              <th scope="col" className="number">Guaranteed</th>
            </tr>
          </thead>
          <tbody>
            {tenant.amounts.map((a) => (
              <tr key={a.resource}>
                <th scope="row">{a.resource}</th>
                <td>
                  <Bar
                    parts={[{ size: a.granted, kind: 'used', name: 'granted' }]}
                    limit={a.quota ?? 0}
                    marks={a.guarantee > 0 ? [{ at: a.guarantee, name: `guaranteed: ${amount(a.resource, a.guarantee)}` }] : []}
                  />
                </td>
                <td className="number">{amount(a.resource, a.granted)}</td>
                <td className="number">{a.quota === null ? 'no ceiling' : amount(a.resource, a.quota)}</td>
                <td className="number">{a.headroom === null ? '–' : amount(a.resource, a.headroom)}</td>
                <td className="number">{a.guarantee > 0 ? amount(a.resource, a.guarantee) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
