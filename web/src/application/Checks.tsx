import type { Constraint } from '../answers/decision'
import { parseAmount } from '../parts/amount'
import { Bar } from '../parts/Bar'
import { Place } from '../parts/Place'
import { Sign } from '../parts/Sign'

// Checks shows each check of a decision as a bar: what others use, what is asked, and the limit with the line that sets it.
export function Checks({ list }: { list: Constraint[] }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Checks">
      <table className="checks">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <td className="wide" />
            <th scope="col" className="number">Asked</th>
            <th scope="col" className="number">Used by others</th>
            <th scope="col" className="number">Limit</th>
            <th scope="col">Result</th>
            <th scope="col">Limit set at</th>
          </tr>
        </thead>
        <tbody>
          {list.map((c) => (
            <tr key={c.name} className={c.ok ? undefined : 'failed'}>
              <th scope="row">{c.name}</th>
              <td>
                <CheckBar of={c} />
              </td>
              <td className="number">{c.asked}</td>
              <td className="number">{c.used ?? '–'}</td>
              <td className="number">{c.limit}</td>
              <td>
                <span className={`verdict ${c.ok ? 'ok' : 'bad'}`}>
                  <Sign tone={c.ok ? 'ok' : 'bad'} />
                  {c.ok ? 'passes' : c.shortfall ? `short of ${c.shortfall}` : 'fails'}
                </span>
              </td>
              <td>
                <Place at={c.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// Legend names the stretches of the bars.
export function Legend() {
  return (
    <p className="legend">
      <span className="used" /> used by others <span className="asked" /> asked <span className="beyond" /> beyond the limit
    </p>
  )
}

function CheckBar({ of: c }: { of: Constraint }) {
  const asked = parseAmount(c.asked)
  const limit = parseAmount(c.limit)
  const used = c.used ? parseAmount(c.used) : 0
  if (Number.isNaN(asked + limit + used)) return null // a check of words, such as a registry
  return (
    <Bar
      limit={limit}
      parts={[
        { size: used, kind: 'used', name: `used by others: ${c.used ?? 0}` },
        { size: asked, kind: 'asked', name: `asked: ${c.asked}` },
      ]}
    />
  )
}
