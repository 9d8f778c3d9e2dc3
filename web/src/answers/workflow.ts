import type { Run, Step } from './run'
import type { Wait } from './words'

// GET /api/v1/applications/{t}/{a}/run: the latest run of the workflow, with what it runs.
export interface Workflow {
  run: Run | null // null: there was none yet
  waits: Wait[] | null
  steps: Step[] | null // null: no record has that spec any more
}
