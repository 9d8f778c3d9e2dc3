import type { Share } from '../answers/decision'
import { thousandths } from '../parts/amount'
import { Bar } from '../parts/Bar'
import { Panel } from '../parts/Panel'

// Shares compares what tenants and groups use of all capacity with what they are guaranteed and with their fair share.
export function Shares({ list }: { list: Share[] }) {
  if (list.length === 0) return null
  return (
    <Panel title="Share of all capacity" note="of the resource that it uses most">
      <div className="scroll" tabIndex={0} role="region" aria-label="Shares">
        <table>
          <thead>
            <tr>
              <th scope="col">Of</th>
              <td className="wide" />
              <th scope="col" className="number">Used</th>
              <th scope="col" className="number">Fair share</th>
              <th scope="col" className="number">Guaranteed</th>
              <th scope="col" className="number">Weight</th>
            </tr>
          </thead>
          <tbody>
            {list.map((s) => (
              <tr key={s.of}>
                <th scope="row">{s.of}</th>
                <td>
                  <Bar
                    parts={[{ size: s.used, kind: 'used', name: `uses ${thousandths(s.used)}` }]}
                    limit={1000}
                    marks={[{ at: s.entitled, name: `fair share: ${thousandths(s.entitled)}` }]}
                  />
                </td>
                <td className="number">{thousandths(s.used)}</td>
                <td className="number">{thousandths(s.entitled)}</td>
                <td className="number">{s.guaranteed ? thousandths(s.guaranteed) : '–'}</td>
                <td className="number">{s.weight ?? 1}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
