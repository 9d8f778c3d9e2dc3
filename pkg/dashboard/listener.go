package dashboard

import (
	"net"
	"sync"
)

// limitedListener accepts a connection only while fewer than a number of them are open. An address that has its share of them gets no other,
// so that nobody takes all places with clients that are slow, or streams.
type limitedListener struct {
	net.Listener
	places chan struct{}
	share  *tally // by address; nil: each may take all
	closed chan struct{}
	once   sync.Once
}

func limited(l net.Listener, most, share int) net.Listener {
	limited := &limitedListener{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
	if share > 0 {
		limited.share = newTally(share)
	}
	return limited
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.places
			return nil, err
		}
		if leave, ok := l.enter(addressOf(c)); ok {
			return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { leave(); <-l.places })}, nil
		}
		_ = c.Close()
	}
}

// enter counts a connection of an address.
func (l *limitedListener) enter(address string) (leave func(), ok bool) {
	if l.share == nil || address == "" {
		return func() {}, true
	}
	return l.share.enter(address)
}

// addressOf returns the address that a connection comes from; of version 6 the network, which one machine has all of. It is "" for this
// machine, where a proxy may stand for everybody.
func addressOf(c net.Conn) string {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || from.IP.IsLoopback() {
		return ""
	}
	address, bits := from.AddrPort().Addr().Unmap(), 32
	if address.Is6() {
		bits = 64
	}
	network, _ := address.WithZone("").Prefix(bits)
	return network.String()
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
