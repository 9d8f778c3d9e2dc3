import { QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useAt } from '../shell/at'
import { get, Refusal } from './request'

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity, // the stream says when something is new
      refetchOnWindowFocus: false,
      retry: (n, e) => n < 2 && !(e instanceof Refusal && e.status >= 400 && e.status < 500),
    },
  },
})

export type Query = Record<string, string | number | readonly string[] | undefined>

// params writes a query string: lists as repeated names, nothing for what is empty.
export function params(query: Query): URLSearchParams {
  const p = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') p.append(name, String(one))
    }
  }
  return p
}

// useAnswer asks for an answer as of the moment that the page shows. While the next one comes, the last one to the same question
// about another moment stays.
export function useAnswer<T>(path: string, query: Query = {}, enabled = true): UseQueryResult<T, Error> {
  const at = useAt()
  const asked = params({ ...query, at })
  return useQuery<T, Error>({
    queryKey: ['answer', at ?? 'tip', path, asked.toString()],
    queryFn: ({ signal }) => get<T>(path, asked, signal),
    placeholderData: (last, query) => (query?.queryKey[2] === path ? last : undefined),
    enabled,
  })
}

// askAgain lets the shown answers about the tip be asked again. Those about the past never change.
export function askAgain(): void {
  void client.invalidateQueries({ queryKey: ['answer', 'tip'] })
}
