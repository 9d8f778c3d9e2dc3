import { Link, Outlet, useParams } from '@tanstack/react-router'
import type { Application } from '../answers/application'
import { useMeta } from '../ask/meta'
import { Answer } from '../parts/Answer'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Commit } from '../parts/Place'
import { meaning, whyOf } from '../parts/state'
import { Tip } from '../parts/Tip'
import { useTitle } from '../shell/title'
import { Change } from '../editor/Change'
import { useStatus } from './answers'

const tabs = [
  ['/applications/$tenant/$name', 'Overview'],
  ['/applications/$tenant/$name/decision', 'Decision'],
  ['/applications/$tenant/$name/run', 'Run'],
  ['/applications/$tenant/$name/history', 'History'],
] as const

const live = ['/applications/$tenant/$name/live', 'Live'] as const

// ApplicationPage is what all tabs of an application have above them: how it is, and why.
export function ApplicationPage() {
  const { tenant = '', name = '' } = useParams({ strict: false })
  const status = useStatus()
  const { data: meta } = useMeta()
  useTitle(`${tenant}/${name}`)
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Above this page">
        <Link to="/">Fleet</Link> <span aria-hidden="true">/</span>{' '}
        <Link to="/tenants/$tenant" params={{ tenant }}>
          {tenant}
        </Link>
      </nav>
      {!status.data?.applications[0] && <h1>{`${tenant}/${name}`}</h1>}
      <Answer of={status}>{(s) => s.applications.map((a) => <Heading key={a.application} of={a} />)}</Answer>
      {status.data && (
        <>
          <nav className="tabs" aria-label="About this application">
            {[...tabs, ...(meta?.live ? [live] : [])].map(([to, title], i) => (
              <Link key={to} to={to} params={{ tenant, name }} activeOptions={{ exact: i === 0, includeSearch: false }}>
                {title}
              </Link>
            ))}
          </nav>
          <Outlet />
        </>
      )}
    </div>
  )
}

function Heading({ of: a }: { of: Application }) {
  return (
    <div className="heading">
      <h1>
        {a.application}
        <Tip text={`instance ${a.instance}: it began ${a.instance === 1 ? 'once' : `${a.instance} times`}`}><small className="soft">#{a.instance}</small></Tip>
        <Badge word={a.phase} title={meaning[a.phase]} />
        {a.refused && a.phase !== 'Rejected' && <Badge word="update refused" tone="bad" />}
        <Change application={a.application}>Edit it</Change>
      </h1>
      <p className="sentence">
        {a.refused && a.phase !== 'Rejected' && 'the newer spec in Git is not accepted: '}
        {whyOf(a)}
      </p>
      <p className="soft">
        {a.reason}, since <Moment at={a.since} />
        {a.commit && <> · runs what commit <Commit hash={a.commit} source /> declares</>}
      </p>
    </div>
  )
}
