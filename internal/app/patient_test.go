package app

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestAReaderGetsEverythingInOrder(t *testing.T) {
	r, w := io.Pipe()
	p := NewPatient(w)
	var got bytes.Buffer
	read := make(chan error)
	go func() {
		_, err := io.Copy(&got, r)
		read <- err
	}()
	var want bytes.Buffer
	for i := range 1000 {
		b := bytes.Repeat([]byte{byte(i)}, i)
		want.Write(b)
		if n, err := p.Write(b); n != len(b) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	p.Close()
	w.Close()
	if err := <-read; err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("read %d bytes, %v, want the %d that were written", got.Len(), err, want.Len())
	}
}

func TestAReaderWhoReadsNothingHoldsUpNoEnd(t *testing.T) {
	tests := []struct {
		name string
		end  func(*Control)
		left time.Duration
		want time.Duration // from the beginning to when the writer goes on
	}{
		{"a person stops the run", func(c *Control) {
			time.AfterFunc(time.Hour, func() { _, _ = c.Do(context.Background(), Command{Name: "stop", NoWait: true}) })
		}, 0, time.Hour + lastPatience},
		{"its time is over", func(*Control) {}, 2 * time.Hour, 2*time.Hour + lastPatience},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stuck, free := io.Pipe()
				p, control := NewPatient(free), NewControl()
				p.room = 10
				began := time.Now()
				defer p.hurry(control, tt.left)()
				tt.end(control)
				for range 3 { // the first fills it, and the others wait
					_, _ = p.Write(make([]byte, 8))
				}
				p.Close()
				if took := time.Since(began); took < tt.want || took > tt.want+2*lastPatience {
					t.Errorf("it went on after %v, want %v", took, tt.want)
				}
				stuck.Close()
				<-p.gone
			})
		})
	}
}

func TestAReaderWhoIsBackGetsWhatComesThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		p := NewPatient(w)
		p.room = 8
		p.mu.Lock()
		p.hurryLocked() // as by a first Ctrl+C: the iteration goes on
		p.mu.Unlock()
		_, _ = p.Write([]byte("12345678"))
		_, _ = p.Write([]byte("is lost"))
		buf := make([]byte, 8)
		if _, err := io.ReadFull(r, buf); err != nil || string(buf) != "12345678" {
			t.Errorf("read %q, %v", buf, err)
		}
		synctest.Wait()
		_, _ = p.Write([]byte("is heard"))
		if _, err := io.ReadFull(r, buf); err != nil || string(buf) != "is heard" {
			t.Errorf("read %q, %v, want what came after it was back", buf, err)
		}
		p.Close()
		<-p.gone
	})
}

func TestTheNextRunHasAReaderAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		p, control := NewPatient(w), NewControl()
		p.room = 8
		over := p.hurry(control, 0)
		_, _ = control.Do(t.Context(), Command{Name: "stop", NoWait: true})
		synctest.Wait()
		over() // the run is over, and another begins
		defer p.hurry(NewControl(), 0)()
		_, _ = p.Write([]byte("12345678"))
		time.AfterFunc(time.Hour, func() { _, _ = io.ReadFull(r, make([]byte, 8)) })
		began := time.Now()
		_, _ = p.Write([]byte("is heard"))
		if waited := time.Since(began); waited != time.Hour {
			t.Errorf("it waited for %v, want until there is room", waited)
		}
		buf := make([]byte, 8)
		if _, err := io.ReadFull(r, buf); err != nil || string(buf) != "is heard" {
			t.Errorf("read %q, %v", buf, err)
		}
		p.Close()
		<-p.gone
	})
}
