import { Link } from '@tanstack/react-router'
import type { Problem } from '../answers/words'
import { Change } from '../editor/Change'
import { Place } from '../parts/Place'

// ProblemList shows problems with both of their places: what was written, and what it breaks.
export function ProblemList({ problems, commit }: { problems: Problem[]; commit?: string }) {
  return (
    <ol className="problems">
      {problems.map((p, i) => (
        <li key={i}>
          <p>
            <strong className="code">{p.code}</strong> <Whose problem={p} /> {p.path && <code>{p.path}</code>} {p.message}{' '}
            {p.tenant && p.application && p.path?.startsWith('application.') && (
              <Change application={`${p.tenant}/${p.application}`} field={p.path.slice('application.'.length)} label={`Change ${p.path} of ${p.tenant}/${p.application}`} />
            )}
          </p>
          {p.places && (
            <dl className="places">
              {p.places.map((place) => (
                <div key={place.at + (place.note ?? '')}>
                  <dt>
                    <Place at={place.at} commit={commit} />
                  </dt>
                  <dd>{place.note}</dd>
                </div>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ol>
  )
}

function Whose({ problem: p }: { problem: Problem }) {
  if (!p.tenant) return <span className="soft">platform</span>
  if (!p.application) {
    return (
      <Link to="/tenants/$tenant" params={{ tenant: p.tenant }}>
        {p.tenant}
      </Link>
    )
  }
  return (
    <Link to="/applications/$tenant/$name" params={{ tenant: p.tenant, name: p.application }}>
      {p.tenant}/{p.application}
    </Link>
  )
}
