import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Live } from '../answers/live'
import { usePath } from '../application/answers'
import { get } from '../ask/request'
import { listen } from '../ask/stream'

// useLive is what the cluster has of the application of the page. It is asked again when something changes, when there is a new tip of
// the branch, and now and then, so that a cluster that went away is told.
export function useLive() {
  const path = `${usePath()}/live`
  const client = useQueryClient()
  useEffect(() => {
    const end = new AbortController()
    void listen(`/api/v1/${path}/stream`, 'live', end.signal, () => void client.invalidateQueries({ queryKey: ['answer', 'tip', path] }))
    return () => end.abort()
  }, [path, client])
  return useQuery<Live, Error>({
    queryKey: ['answer', 'tip', path],
    queryFn: ({ signal }) => get<Live>(path, new URLSearchParams(), signal),
    refetchInterval: 15_000,
    retry: false,
  })
}
