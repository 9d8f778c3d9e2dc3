import { exported } from '../ask/exported'
import { useMeta } from '../ask/meta'
import { useAt } from '../shell/at'

// useEdits reports whether applications can be changed in these pages: now, in a clone, by somebody who may.
export function useEdits(): boolean {
  const { data: meta } = useMeta()
  const at = useAt()
  return exported === undefined && at === undefined && meta?.edit === true
}
