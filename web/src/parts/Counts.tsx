import { Link } from '@tanstack/react-router'
import type { Phase } from '../answers/words'
import { count } from './amount'
import { Sign } from './Sign'
import { brief, meaning, toneOf, worst } from './state'
import { Tip } from './Tip'

// Counts shows how many applications have each phase. Each count leads to these applications.
export function Counts({ counts, tenant }: { counts: Partial<Record<Phase, number>>; tenant?: string }) {
  return (
    <ul className="counts" aria-label="Applications by phase">
      {worst.map((phase) => {
        const n = counts[phase] ?? 0
        return (
          <li key={phase}>
            <Tip text={meaning[phase]}>
              <Link {...(tenant ? { to: '/tenants/$tenant', params: { tenant } } : { to: '/' })} search={{ phase: [phase] }} className={`count ${n > 0 ? toneOf(phase) : 'none'}`}>
                <span className="number">{count(n)}</span>
                <span className="word">
                  <Sign tone={toneOf(phase)} />
                  {phase}
                  {brief[phase] && <small>{brief[phase]}</small>}
                </span>
              </Link>
            </Tip>
          </li>
        )
      })}
    </ul>
  )
}
