import { Link, useSearch } from '@tanstack/react-router'
import type { Fleet } from '../answers/fleet'
import { useAnswer } from '../ask/answer'
import { count } from '../parts/amount'
import { Answer } from '../parts/Answer'
import { Counts } from '../parts/Counts'
import { Commit } from '../parts/Place'
import { useTitle } from '../shell/title'
import { Applications } from './Applications'
import { filtersOf } from './filters'
import { Matrix } from './Matrix'
import { OverQuotas } from './OverQuotas'
import { People } from './People'

// FleetPage answers what needs somebody, and where.
export function FleetPage() {
  const fleet = useAnswer<Fleet>('fleet')
  const filters = filtersOf(useSearch({ strict: false }))
  useTitle(fleet.data?.fleet ? `Fleet ${fleet.data.fleet}` : 'Fleet')
  return (
    <div className="page">
      <Answer of={fleet}>
        {(f) => (
          <>
            <div className="heading">
              <h1>Fleet {f.fleet}</h1>
              <p>{inShort(f)} {f.commit && <>As of source commit <Commit hash={f.commit} source />.</>}</p>
            </div>
            <Counts counts={f.phases} />
            <Others fleet={f} />
            <div className="split">
              <Applications filters={filters} tenants={f.tenants.map((t) => t.tenant)} />
              <div className="side">
                <People waits={f.waitsForPeople} total={f.waitsForPeopleTotal} />
                <OverQuotas list={f.overQuota} />
                {f.tenantsTotal > 0 && <Matrix tenants={f.tenants} total={f.tenantsTotal} />}
              </div>
            </div>
          </>
        )}
      </Answer>
    </div>
  )
}

function inShort(f: Fleet): string {
  const all = Object.values(f.phases).reduce((n, x) => n + x, 0)
  const unwell = f.tenants.reduce((n, t) => n + t.unwell, 0)
  const tenants = `${count(f.tenantsTotal)} ${f.tenantsTotal === 1 ? 'tenant' : 'tenants'}`
  if (all === 0) return f.commit ? 'No application is declared yet.' : 'Nothing is recorded yet.'
  const apps = `${count(all)} ${all === 1 ? 'application' : 'applications'} of ${tenants}`
  return unwell === 0 ? `${apps}: all is well.` : `${apps}: ${count(unwell)} ${unwell === 1 ? 'needs' : 'need'} a look.`
}

// Others are what no phase says.
function Others({ fleet: f }: { fleet: Fleet }) {
  const said = []
  if (f.problems > 0) {
    said.push(
      <li key="problems">
        <Link to="/problems">{f.problems === 1 ? '1 problem' : `${f.problems} problems`} in Git</Link>: what is declared there cannot be used as it stands.
      </li>,
    )
  }
  if (f.orphans > 0) said.push(<li key="orphans">{f.orphans === 1 ? '1 application has' : `${f.orphans} applications have`} objects that no record knows; see <code>reconciler orphans</code>.</li>)
  if (f.left) said.push(<li key="left">{f.left} applications of this commit have no record yet: the next saves bring them.</li>)
  return said.length > 0 ? <ul className="others">{said}</ul> : null
}
