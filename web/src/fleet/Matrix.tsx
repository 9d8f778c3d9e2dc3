import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TenantCounts } from '../answers/fleet'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import { toneOf, worst } from '../parts/state'

const few = 15

// Matrix shows the phases of all tenants, those with most to look at first. Each number leads to its applications.
export function Matrix({ tenants, total }: { tenants: TenantCounts[]; total: number }) {
  const [all, setAll] = useState(false)
  const shown = all ? tenants : tenants.slice(0, few)
  return (
    <Panel title="Tenants" note={String(total)}>
      <div className="scroll" tabIndex={0} role="region" aria-label="Tenants by phase">
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              {worst.map((p) => (
                <th key={p} scope="col" className={toneOf(p)}>
                  <Sign tone={toneOf(p)} />
                  <span>{p}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((t) => (
              <tr key={t.tenant}>
                <th scope="row">
                  <Link to="/tenants/$tenant" params={{ tenant: t.tenant }}>
                    {t.tenant}
                  </Link>
                </th>
                {worst.map((p) => (
                  <td key={p} className={t.phases[p] ? toneOf(p) : 'none'}>
                    {t.phases[p] ? (
                      <Link to="/" search={{ tenant: t.tenant, phase: [p] }} aria-label={`${t.phases[p]} ${p} of ${t.tenant}`}>
                        {t.phases[p]}
                      </Link>
                    ) : (
                      '·'
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {tenants.length > few && (
        <button type="button" className="plain" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${tenants.length}`}
        </button>
      )}
      {all && total > tenants.length && <p className="more">and {total - tenants.length} more, which the search of the table finds</p>}
    </Panel>
  )
}
