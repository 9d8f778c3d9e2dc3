import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Heads } from '../answers/heads'
import type { Plan } from '../answers/plan'
import { params } from '../ask/answer'
import { later } from '../ask/later'
import { useMeta } from '../ask/meta'
import { get } from '../ask/request'
import { Answer, Failure } from '../parts/Answer'
import { Command } from '../parts/Command'
import { Panel } from '../parts/Panel'
import { useAt } from '../shell/at'
import { useTitle } from '../shell/title'
import { HeadPicker } from './HeadPicker'
import { PlanOfHead } from './PlanOfHead'

// ProposalPage answers what the merge of a branch would do, and to whom.
export function ProposalPage() {
  useTitle('Pull request')
  const { head } = useSearch({ from: '/plan' })
  const { data: meta } = useMeta()
  const at = useAt()
  const navigate = useNavigate()
  const able = meta?.plans === true && at === undefined
  const heads = useQuery<Heads, Error>({
    queryKey: ['heads'],
    queryFn: ({ signal }) => get<Heads>('heads', params({}), signal),
    enabled: able,
    refetchInterval: 15_000,
    retry: false,
  })
  const commit = heads.data?.heads.find((h) => h.name === head)?.commit
  const plan = useQuery<Plan, Error>({
    queryKey: ['answer', 'tip', 'plan', head, commit],
    queryFn: ({ signal }) => get<Plan>('plan', params({ head }), signal),
    enabled: able && head !== undefined && heads.isFetched,
    ...later,
  })
  const command = `reconciler plan --base ${heads.data?.base ?? 'main'} --head ${head}`
  return (
    <div className="page">
      <div className="heading">
        <h1>Pull request</h1>
        <p>What the merge of a branch would do, to all tenants. It is decided as the reconciler would; nothing is changed.</p>
      </div>
      {meta && !meta.plans && <p className="empty">This needs a clone of the fleet repo: start <code>reconciler ui</code> in one.</p>}
      {meta?.plans && at && <p className="empty">A plan is about now. Go back to now to see one.</p>}
      {able && (
        <>
          <Panel title="Branch" note={heads.data && `that would be merged into ${heads.data.base}`}>
            <Answer of={heads}>
              {(h) => <HeadPicker of={h} head={head} choose={(name) => void navigate({ to: '.', search: (s) => ({ ...s, head: name }) })} />}
            </Answer>
            {head && heads.data && <Command text={command} />}
          </Panel>
          {plan.isFetching && !plan.data && (
            <p className="loading" role="status">
              {plan.failureReason?.message ?? 'Deciding on both sides …'}
            </p>
          )}
          {plan.error && !plan.isFetching && <Failure error={plan.error} />}
          {plan.data && !plan.error && <PlanOfHead of={plan.data} command={command} />}
        </>
      )}
    </div>
  )
}
