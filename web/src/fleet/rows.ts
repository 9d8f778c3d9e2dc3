import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Application, Applications } from '../answers/application'
import { params } from '../ask/answer'
import { get } from '../ask/request'
import { useAt } from '../shell/at'
import type { Filters } from './filters'

const pageSize = 100

// mostRows bounds what one page of the browser holds, and asks again when the branch changes.
export const mostRows = 1000

export interface Rows {
  rows: Application[]
  total: number | undefined // that match; undefined as long as it is not known
  error: Error | null
  more: boolean // can be fetched
  fetchMore: () => void
  next: string // the cursor behind the last row, "" at the end
}

// useRows asks for the rows that the filters select, a page at a time.
export function useRows(filters: Filters): Rows {
  const at = useAt()
  const asked = { tenant: filters.tenant, phase: filters.phase, q: filters.q, sort: filters.sort, limit: pageSize, at }
  const query = useInfiniteQuery({
    queryKey: ['answer', at ?? 'tip', 'applications', params({ ...asked, after: filters.after }).toString()],
    queryFn: ({ pageParam, signal }) => get<Applications>('applications', params({ ...asked, after: pageParam }), signal),
    initialPageParam: filters.after ?? '',
    getNextPageParam: (page, pages) => (page.next === '' || pages.length >= mostRows / pageSize ? undefined : page.next),
    placeholderData: keepPreviousData,
  })
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query
  const fetchMore = useCallback(() => {
    if (!isFetching) void fetchNextPage()
  }, [isFetching, fetchNextPage])
  return {
    rows: data?.pages.flatMap((p) => p.applications) ?? [],
    total: data?.pages[0]?.total,
    error,
    more: hasNextPage,
    fetchMore,
    next: data?.pages.at(-1)?.next ?? '',
  }
}
