import { useInfiniteQuery } from '@tanstack/react-query'
import type { Moment, Timeline } from '../answers/timeline'
import { params } from '../ask/answer'
import { get } from '../ask/request'

const pageSize = 100

// useCommits asks for the commits of the branch, from the tip backwards: the timeline itself is always as of now.
export function useCommits(enabled = true) {
  const query = useInfiniteQuery({
    queryKey: ['answer', 'tip', 'timeline'],
    queryFn: ({ pageParam, signal }) => get<Timeline>('timeline', params({ before: pageParam, limit: pageSize }), signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next || undefined,
    enabled,
  })
  const commits: Moment[] = query.data?.pages.flatMap((p) => p.commits) ?? []
  return { commits, error: query.error, more: query.hasNextPage, fetchMore: () => void query.fetchNextPage(), busy: query.isFetching }
}
