import { useParams, useSearch } from '@tanstack/react-router'
import type { Tenant } from '../answers/tenant'
import { useAnswer } from '../ask/answer'
import { Applications } from '../fleet/Applications'
import { ChangeLayer } from '../editor/Change'
import { filtersOf } from '../fleet/filters'
import { OverQuotas } from '../fleet/OverQuotas'
import { Answer } from '../parts/Answer'
import { money, thousandths } from '../parts/amount'
import { Counts } from '../parts/Counts'
import { useTitle } from '../shell/title'
import { ProblemList } from '../problems/ProblemList'
import { Panel } from '../parts/Panel'
import { Quotas } from './Quotas'
import { Shares } from './Shares'

// TenantPage answers what a tenant has, what it may still have, and how its applications do.
export function TenantPage() {
  const { tenant: name = '' } = useParams({ strict: false })
  const tenant = useAnswer<Tenant>(`tenants/${encodeURIComponent(name)}`)
  const filters = filtersOf(useSearch({ strict: false }))
  useTitle(`Tenant ${name}`)
  return (
    <div className="page">
      <div className="heading">
        <h1>Tenant {name}</h1>
        {tenant.data && <p>{inShort(tenant.data)}</p>}
        <p>
          <ChangeLayer tenant={name}>Change its files</ChangeLayer> <ChangeLayer field={`allotments.${name}`}>Change what it is given</ChangeLayer>
        </p>
      </div>
      <Answer of={tenant}>
        {(t) => (
          <>
            <Counts counts={t.phases} tenant={t.tenant} />
            <div className="columns">
              <Quotas tenant={t} />
              <Shares list={t.shares ?? []} />
            </div>
            <OverQuotas list={t.overQuota} />
            {t.problems.length > 0 && (
              <Panel title="What cannot be used" note={String(t.problems.length)}>
                <ProblemList problems={t.problems} />
              </Panel>
            )}
            <Applications filters={{ ...filters, tenant: name }} />
          </>
        )}
      </Answer>
    </div>
  )
}

function inShort(t: Tenant): string {
  const said = [`${t.applications} ${t.applications === 1 ? 'application' : 'applications'}`]
  if (t.unwell > 0) said.push(`${t.unwell} to look at`)
  if (t.waiting > 0) said.push(`${t.waiting} waiting for capacity`)
  if (t.costPerHour > 0) said.push(`${money(t.costPerHour)} an hour at the prices of its pools`)
  if (t.weight) said.push(`weight ${t.weight}`)
  if (t.past) said.push(`which counts ${(t.past.scaled / 1000).toFixed(2)} as it had ${thousandths(t.past.used)} of all capacity lately`)
  if (t.priorityCeiling) said.push(`priority at most ${t.priorityCeiling}`)
  if (t.isolation) said.push(`isolation ${t.isolation}`)
  return said.join(' · ')
}
